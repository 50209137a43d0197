// The frames of the pipeline, and controls below them. `segment` holds the properties of glsegment: see main.cpp.
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import org.freedesktop.gstreamer.Qt6GLVideoItem

ApplicationWindow {
    visible: true
    width: 960
    height: 720
    title: "Sightglass"

    ColumnLayout {
        anchors.fill: parent
        anchors.margins: 8

        GstGLQt6VideoItem {
            objectName: "video"
            Layout.fillWidth: true
            Layout.fillHeight: true
        }

        ComboBox {
            model: ["blur", "color", "transparent", "mask"]
            Layout.fillWidth: true
            onActivated: segment.background = currentText
        }

        Repeater {
            model: [["blur-strength", 25], ["softness", 1], ["smoothing", 0.95], ["light-wrap", 1]]
            delegate: RowLayout {
                required property var modelData
                Layout.fillWidth: true
                Label {
                    text: modelData[0]
                    Layout.preferredWidth: 120
                }
                Slider {
                    Layout.fillWidth: true
                    to: modelData[1]
                    value: segment[modelData[0]]
                    onMoved: segment[modelData[0]] = value
                }
            }
        }
    }
}

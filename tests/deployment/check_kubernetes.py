"""Checks packaging/kubernetes/ with the models of the Kubernetes client, and runs the commands of its containers here, with
other paths and rendered figures for the camera.   check_kubernetes.py SOURCE BUILD"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

try:
    import kubernetes
    import yaml
except ImportError as error:
    print(f'check_kubernetes.py: Skipped\n{error}\n[  SKIPPED ] deployment.kubernetes (0 ms)')
    sys.exit(77)

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:])
CLIENT = kubernetes.client.ApiClient()
failures = []


def check(name, value, expected):
    print(f'{name}: {value}')
    if value != expected:
        print(f'  expected {expected}')
        failures.append(name)


class Reply:
    """What the client reads objects from."""

    def __init__(self, document):
        self.data = json.dumps(document)


def differences(path, written, understood):
    """Where the client lost or changed what is written."""
    if isinstance(written, dict) and isinstance(understood, dict):
        for key in written.keys() | understood.keys():
            yield from differences(f'{path}.{key}', written.get(key), understood.get(key))
    elif isinstance(written, list) and isinstance(understood, list) and len(written) == len(understood):
        for index, pair in enumerate(zip(written, understood)):
            yield from differences(f'{path}[{index}]', *pair)
    elif written != understood:
        yield f'{path}: {written!r} is read as {understood!r}'


def problems(document):
    """The client rejects missing fields and wrong types, and ignores unknown fields."""
    group, _, version = document['apiVersion'].rpartition('/')
    kind = version.capitalize() + document['kind']
    try:
        read = CLIENT.deserialize(Reply(document), kind)
    except (ValueError, TypeError, AttributeError) as error:
        return [f'{kind}: {error}']
    return list(differences(kind, document, CLIENT.sanitize_for_serialization(read)))


def container(document):
    return document['spec']['template']['spec']['containers'][0]


def run(arguments, paths, variables):
    """Starts the command of a container with the variables that its manifest sets, and others."""
    for old, new in paths.items():
        arguments = [argument.replace(old, new) for argument in arguments]
    program = BUILD / 'tools/sightglass/sightglass'
    return subprocess.Popen([program, *arguments], env=os.environ | variables)


def answers(address, token=None):
    request = urllib.request.Request(address, headers={'Authorization': f'Bearer {token}'} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def check_schema(files):
    for document in files.values():
        name = f"{document['kind']} {document['metadata']['name']}"
        check(f'{name} has problems', problems(document), [])
    broken = json.loads(json.dumps(files['cameras']))
    container(broken)['imagePullPolice'] = 'Always'
    check('a misspelled field is found', len(problems(broken)), 1)
    del broken['spec']['selector']
    check('a missing field is found', len(problems(broken)), 1)


def check_devices(devices, users):
    """Pods ask for devices that the plugin offers."""
    arguments = container(devices)['args']
    offered = {'squat.ai/' + yaml.safe_load(arguments[i + 1])['name']
               for i, argument in enumerate(arguments) if argument == '--device'}
    asked = {name for user in users for name in container(user)['resources']['limits'] if '/' in name}
    check('devices that are asked for', sorted(asked), sorted(offered))


def check_camera(camera):
    pod = container(camera)
    port = pod['ports'][0]['containerPort']
    token = 'a-token-of-24-characters'
    variables = {variable['name']: token for variable in pod['env'] if 'valueFrom' in variable}
    quick = ['--size', '160x120', '--refine', 'none', '--inference-interval', '5']
    free = '18673'  # The port of the manifest can be in use here.
    server = run([*pod['args'], *quick], {'/dev/video0': 'figures', str(port): free}, variables)
    address = f'http://127.0.0.1:{free}'
    try:
        probe = pod['startupProbe']
        tries = 0
        while (status := answers(address + probe['httpGet']['path'])) != 200 and server.poll() is None and tries < 120:
            tries += 1
            time.sleep(1)
        print(f"started after {tries} s; the probe allows {probe['periodSeconds'] * probe['failureThreshold']} s")
        check('the probe answers without a token', status, 200)
        for name in 'readinessProbe', 'livenessProbe':
            check(f'{name} is the same', pod[name]['httpGet'], probe['httpGet'])
        check('metrics need the token', answers(address + '/metrics'), 401)
        check('metrics with the token', answers(address + '/metrics', token), 200)
    finally:
        server.terminate()
    check('the server ends', server.wait(60), 0)


def check_batch(batch):
    count = batch['spec']['completions']
    arguments = container(batch)['args']
    with tempfile.TemporaryDirectory() as folder:
        videos = pathlib.Path(folder) / 'in'
        videos.mkdir()
        names = [f'{letter}.mkv' for letter in 'abcdefghij']
        for name in names:
            subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'num-buffers=3', '!',
                            'video/x-raw,format=I420,width=64,height=48', '!', 'jpegenc', '!', 'matroskamux', '!',
                            'filesink', f'location={videos / name}'], check=True)
        quick = ['--refine', 'none', '--blur-strength', '2']
        statuses = [run([*arguments, *quick], {'/videos': folder, '$(JOB_COMPLETION_INDEX)': str(index)}, {}).wait(120)
                    for index in range(count)]
        check('tasks', statuses, [0] * count)
        lines = [json.loads(line) for path in sorted((pathlib.Path(folder) / 'out').glob('manifest-*.jsonl'))
                 for line in path.read_text().splitlines()]
        done = sorted(pathlib.Path(line['input']).name for line in lines if line.get('status') == 'done')
        check('files done', done, names)


files = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((SOURCE / 'packaging/kubernetes').glob('*.yaml'))}
check('files', sorted(files), ['batch', 'cameras', 'devices'])
os.environ['GST_PLUGIN_PATH'] = str(BUILD / 'gst_plugin')
check_schema(files)
check_devices(files['devices'], [files['cameras'], files['batch']])
check_camera(files['cameras'])
check_batch(files['batch'])
sys.exit(1 if failures else 0)

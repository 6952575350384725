import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder with the published client in its node_modules, and with the given packages for its tests. */
export async function installClient(packages: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-client-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@fairlead'), { recursive: true });
  const script = `import { build } from './packages/sdk/src/publishing/build.ts'; build(process.argv[1])`;
  const target = join(modules, '@fairlead/sdk');
  await run(process.execPath, ['--input-type=module', '-e', script, target], { cwd: root });
  for (const name of packages) {
    const places = [join(root, 'packages/sdk/node_modules', name), join(root, 'node_modules', name)];
    const place = places.find((path) => existsSync(path));
    if (place === undefined) throw new Error(`${name} is not installed.`);
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(place, join(modules, name));
  }
  return folder;
}

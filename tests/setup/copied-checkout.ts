import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCOPES = ['@fairlead', '@fairlead-services'];

/** A disposable copy of this checkout. */
export interface CopiedCheckout {
  readonly root: string;
  /** Changes the text of a file; throws if `change` leaves it unchanged. */
  readonly edit: (file: string, change: (text: string) => string) => Promise<void>;
  write(file: string, text: string): Promise<void>;
  /** Links a workspace under its package name, like `npm install`. */
  link(packageName: string, folder: string): Promise<void>;
  /** Runs one of the copy's tools in it. */
  run(tool: string, args: readonly string[]): { readonly status: number | null; readonly output: string };
  remove(): Promise<void>;
}

/** Copies the files tracked by git; installed packages are linked, and workspaces linked to their copies. */
export async function copyCheckout(): Promise<CopiedCheckout> {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-test-checkout-'));
  await copyTrackedFiles(root);
  await linkPackages('.', root);
  for (const workspace of await workspacesWithPackages()) await linkPackages(workspace, root);
  return {
    root,
    async edit(file, change) {
      const before = await readFile(join(root, file), 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`${file} was not changed.`);
      await writeFile(join(root, file), after);
    },
    async write(file, text) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    },
    link: (packageName, folder) => symlink(join(root, folder), join(root, 'node_modules', packageName)),
    run(tool, args) {
      const run = spawnSync(join(ROOT, 'node_modules/.bin', tool), args, { cwd: root, encoding: 'utf8' });
      return { status: run.status, output: run.stdout + run.stderr };
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

async function copyTrackedFiles(root: string): Promise<void> {
  const { status, stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error('git does not list the files of this checkout.');
  // Deleted from the work tree, but still tracked.
  const files = stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(ROOT, file), join(root, file));
  }
}

/** Workspaces with their own packages, which npm could not install at the root. */
async function workspacesWithPackages(): Promise<string[]> {
  const found: string[] = [];
  for (const parent of ['packages', 'services', 'samples', 'tools']) {
    for (const name of await readdir(join(ROOT, parent))) {
      const packages = await readdir(join(ROOT, parent, name, 'node_modules')).catch(() => []);
      if (packages.length > 0) found.push(join(parent, name));
    }
  }
  return found;
}

async function linkPackages(workspace: string, root: string): Promise<void> {
  const from = join(ROOT, workspace, 'node_modules');
  const to = join(root, workspace, 'node_modules');
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (SCOPES.includes(name))
      await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else await symlink(join(from, name), join(to, name));
  }
}

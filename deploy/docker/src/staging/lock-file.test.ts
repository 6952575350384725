import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { productionClosure, readLockFile } from './lock-file.ts';
import { SERVED, programFolders } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const packages = readLockFile(readFileSync(`${ROOT}package-lock.json`, 'utf8'));
const { workspaces, libraries } = productionClosure(
  packages,
  await programFolders(ROOT),
  new Set(SERVED.keys()),
);

describe('the packages in the image', () => {
  it('have no install script: none of them builds or fetches anything', () => {
    expect(libraries.filter((folder) => packages.get(folder)?.hasInstallScript)).toEqual([]);
  });

  it('have no native module', () => {
    const files = libraries.flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.node') || file.endsWith('binding.gyp'))
        .map((file) => `${folder}/${file}`),
    );
    expect(files).toEqual([]);
  });

  it('are every program and its dependencies, without development tools and without the Node.js of npm', () => {
    expect(workspaces).toEqual(
      expect.arrayContaining(['services/gateway', 'packages/service-kit', 'packages/agent', 'connectors']),
    );
    expect(libraries).toEqual(expect.arrayContaining(['node_modules/mongodb', 'node_modules/pg']));
    for (const absent of ['node', 'vitest', 'typescript', 'testcontainers', 'mongodb-memory-server-core'])
      expect(libraries).not.toContain(`node_modules/${absent}`);
    expect(workspaces).not.toContain('packages/local-stores');
  });
});

/** A lock file with these packages; further members are optional in npm's files, too. */
function locked(entries: Record<string, object>): ReturnType<typeof readLockFile> {
  return readLockFile(JSON.stringify({ lockfileVersion: 3, packages: entries }));
}

describe('what a program depends on', () => {
  it('is found where Node.js finds it: in the nearest node_modules', () => {
    const found = productionClosure(
      locked({
        app: { dependencies: { a: '1', b: '1' } },
        'app/node_modules/a': { version: '2.0.0', dependencies: { b: '1' } },
        'node_modules/a': { version: '1.0.0' },
        'node_modules/b': { version: '1.0.0', dependencies: { a: '1' } },
        'app/node_modules/a/node_modules/b': { version: '1.1.0' },
      }),
      ['app'],
    );
    expect(found.libraries).toEqual([
      'app/node_modules/a',
      'app/node_modules/a/node_modules/b',
      'node_modules/a',
      'node_modules/b',
    ]);
  });

  it('includes required peers and optional packages that are there, and no others', () => {
    const found = productionClosure(
      locked({
        app: {
          optionalDependencies: { there: '1', elsewhere: '1' },
          peerDependencies: { peer: '1', wish: '1' },
          peerDependenciesMeta: { wish: { optional: true } },
          devDependencies: { tool: '1' },
        },
        'node_modules/there': {},
        'node_modules/peer': {},
        'node_modules/wish': {},
        'node_modules/tool': {},
      }),
      ['app'],
    );
    expect(found.libraries).toEqual(['node_modules/peer', 'node_modules/there']);
  });

  it('must be locked', () => {
    expect(() => productionClosure(locked({ app: { dependencies: { a: '1' } } }), ['app'])).toThrow(
      'package-lock.json has no a',
    );
  });
});

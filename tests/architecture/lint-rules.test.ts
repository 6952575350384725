import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIGURATION = ['oxlint.config.ts', 'oxlint.boundaries.ts', 'tsconfig.json', 'package.json'];

let seeds = 0;

/** A file, its imports, and the expected lint findings. No real service or module has these names. */
const imports = (path: string, specifier: string, says: string) => ({
  rule: `${path} imports ${specifier}`,
  path: path.replace('*', `seed-${(seeds += 1)}`),
  source: `import { seeded } from '${specifier}';\nexport const copy: unknown = seeded;\n`,
  says,
});

/** A domain file with one impure statement. */
const impure = (statement: string) => ({
  rule: `domain/ with ${statement}`,
  path: `services/brand-new/src/domain/seed-${(seeds += 1)}.ts`,
  source: `export const seeded = (): unknown => ${statement};\n`,
  says: 'domain/ is pure',
});

const ANOTHER = 'A service never imports another service';
const TRANSPORT = 'Transport stays in rpc/';
const STORAGE = 'Storage implements ports';
const INWARDS = 'Imports run rpc';

const violations = [
  imports('services/brand-new/src/*.ts', '@fairlead-services/catalog/config', ANOTHER),
  imports('services/brand-new/src/*.ts', '../../catalog/src/config.ts', ANOTHER),
  imports('services/brand-new/src/folder/*.ts', '../../../catalog/src/config.ts', ANOTHER),
  imports('services/brand-new/src/*.test.ts', '@fairlead-services/catalog/config', ANOTHER),
  imports('services/brand-new/src/rpc/*.rpc.ts', '../storage/seeded.repository.ts', STORAGE),
  imports('services/brand-new/src/events/*.ts', '../storage/seeded.repository.ts', STORAGE),
  imports('services/brand-new/src/workers/*.ts', 'mongodb', STORAGE),
  imports('services/brand-new/src/use-cases/*.ts', '@fairlead-services/catalog/config', ANOTHER),
  imports('services/brand-new/src/use-cases/*.ts', '@fairlead/contracts/tools/v1/tool_pb', TRANSPORT),
  imports('services/brand-new/src/use-cases/*.ts', 'express', TRANSPORT),
  imports('services/brand-new/src/use-cases/*.ts', '../storage/seeded.repository.ts', STORAGE),
  imports('services/brand-new/src/use-cases/*.ts', '@fairlead/service-kit/nats/nats', 'Adapters publish'),
  imports('services/brand-new/src/use-cases/*.ts', '../rpc/seeded.rpc.ts', INWARDS),
  imports('services/brand-new/src/use-cases/*.ts', '../clients/seeded.ts', 'Clients of other services'),
  imports('services/brand-new/src/use-cases/*.ts', '../config.ts', 'app.ts alone constructs'),
  imports('services/brand-new/src/domain/*.ts', 'mongodb', STORAGE),
  imports('services/brand-new/src/domain/*.ts', '../use-cases/seed.ts', 'Nothing below a use case'),
  imports('services/brand-new/src/domain/*.ts', '../ports/seeds.ts', 'nothing that stands further out'),
  imports('services/brand-new/src/domain/*.ts', 'node:fs/promises', 'domain/ is pure'),
  imports('services/brand-new/src/domain/*.ts', 'node:dns', 'domain/ is pure'),
  imports('services/brand-new/src/domain/*.ts', 'node:crypto', 'domain/ is pure'),
  imports('services/brand-new/src/domain/*.ts', 'fs', 'prefer-node-protocol'),
  imports('services/brand-new/src/domain/*.ts', 'dns/promises', 'prefer-node-protocol'),
  impure("fetch('http://localhost')"),
  impure("globalThis.fetch('http://localhost')"),
  impure('Date.now()'),
  impure('Math.random()'),
  impure('performance.now()'),
  impure('crypto.randomUUID()'),
  impure('process.pid'),
  impure('setTimeout(() => 1, 1)'),
  imports('services/brand-new/src/domain/*.ts', '@fairlead/service-kit/telemetry/logger', 'domain/ is pure'),
  imports('services/brand-new/src/ports/*.ts', '@fairlead/service-kit/mongo/mongo', STORAGE),
  imports('services/brand-new/src/ports/*.ts', '../use-cases/seed.ts', 'Nothing below a use case'),
  imports('services/brand-new/src/storage/*.ts', '../use-cases/seed.ts', 'Nothing below a use case'),
  imports('services/brand-new/src/storage/*.ts', '../rpc/convert-seed.ts', INWARDS),
  imports('services/gateway/src/brand-new/domain/*.ts', 'mongodb', STORAGE),
  imports('services/gateway/src/brand-new/domain/*.ts', '../use-cases/seed.ts', 'Nothing below a use case'),
  imports('services/gateway/src/brand-new/use-cases/*.ts', '../storage/seeded.repository.ts', STORAGE),
  imports('services/gateway/src/brand-new/ports/*.ts', 'express', TRANSPORT),
  imports('services/gateway/src/brand-new/inner/domain/*.ts', '../../storage/seeds.ts', STORAGE),
  imports('services/gateway/src/routes/seeds/*.ts', '@fairlead/audit-log/storage/audit.repository', STORAGE),
  imports('packages/rest-records/src/*.ts', '@fairlead/audit-log/storage/audit.repository', 'does not know'),
  imports(
    'packages/rest-records/src/*.ts',
    '@fairlead-services/gateway/services',
    'Only services, tools and',
  ),
  imports('packages/rest-kit/src/*.ts', '@fairlead/rest-records/tool', 'does not know that one'),
  imports('packages/rest-kit/src/*.ts', '@fairlead/contracts/tools/v1/tool_pb', 'does not know that one'),
  imports('packages/rest-kit/src/module/use-cases/*.ts', '../storage/seeded.repository.ts', STORAGE),
  imports('packages/rest-kit/src/module/domain/*.ts', '../ports/seeds.ts', 'nothing that stands further out'),
  imports('packages/audit-log/src/*.ts', '@fairlead/access/permissions', 'does not know that one'),
  imports('packages/audit-log/src/use-cases/*.ts', '@fairlead/service-kit/mongo/mongo', STORAGE),
  imports('packages/audit-log/src/domain/*.ts', 'node:fs/promises', 'domain/ is pure'),
  imports('packages/mcp-edge/src/*.ts', '@fairlead/rest-records/mcp-server', 'does not know that one'),
  imports('packages/service-proxy/src/*.ts', '@fairlead/rest-kit/route', 'does not know that one'),
  imports('packages/brand-new/src/*.ts', '@fairlead-services/catalog/config', 'Only services, tools and'),
  imports(
    'packages/brand-new/src/*.ts',
    '../../../services/catalog/src/config.ts',
    'Only services, tools and',
  ),
  imports('packages/brand-new/src/*.ts', '@fairlead/service-kit/clock', 'knows no other one'),
  imports('packages/errors/src/*.ts', '@fairlead/contracts/common/v1/error_pb', 'knows no other one'),
  imports(
    'packages/service-kit/src/*.ts',
    '@fairlead/contracts/catalog/v1/tool_pb',
    'does not know that one',
  ),
  imports('packages/service-kit/src/*.ts', '@fairlead/connector-model/model', 'does not know that one'),
  imports('packages/service-kit/src/*.ts', '@fairlead/egress/egress', 'does not know that one'),
  imports('packages/egress/src/*.ts', '@fairlead/sealing/sealing', 'does not know that one'),
  imports('packages/connector-model/src/*.ts', '@fairlead/service-kit/clock', 'does not know that one'),
  imports('packages/access/src/*.ts', '@fairlead/connector-model/model', 'does not know that one'),
  imports('packages/tool-schemas/src/*.ts', '@fairlead/service-kit/clock', 'does not know that one'),
  imports(
    'packages/connector-runtime/src/*.ts',
    '@fairlead/contracts/tools/v1/tool_pb',
    'does not know that one',
  ),
  imports('connectors/brand-new/*.ts', '@fairlead-services/tools/config', 'Only services, tools and'),
  imports('connectors/brand-new/*.ts', '@fairlead/service-kit/clock', 'does not know that one'),
  imports('samples/brand-new/src/*.ts', '@fairlead/service-kit/clock', 'knows no other one'),
  {
    rule: 'reading the environment outside config.ts',
    path: 'services/brand-new/src/environment.ts',
    source: "export const seeded = process.env['HOME'];\n",
    says: 'process.env',
  },
  {
    rule: 'a floating promise (type-aware)',
    path: 'services/brand-new/src/floating.ts',
    source: 'export function seeded(): void {\n  Promise.resolve(1);\n}\n',
    says: 'no-floating-promises',
  },
  {
    rule: 'a switch that forgets a case (type-aware)',
    path: 'services/brand-new/src/forgetful.ts',
    source:
      "export function seeded(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      return;\n  }\n}\n",
    says: 'switch-exhaustiveness-check',
  },
];

const allowed = [
  ...[
    'services/brand-new/src/domain/seeded-clean.ts',
    'services/gateway/src/brand-new/use-cases/seeded-clean.ts',
    'packages/brand-new/src/seeded-clean.ts',
  ].map((path) => ({ path, source: 'export const seeded = 1;\n' })),
  {
    path: 'services/brand-new/src/domain/seeded-digest.ts',
    source:
      "import { createHash } from 'node:crypto';\nexport const seeded = (text: string, at: Date): string =>\n  createHash('sha256').update(text).update(at.toISOString()).digest('hex');\n",
  },
];

/** Imports that the rules allow explicitly. */
const known = [
  ['packages/service-kit/src/seeded-known.ts', '@fairlead/contracts/common/v1/error_pb'],
  ['packages/connector-runtime/src/seeded-known.ts', '@fairlead/connector-model/model'],
  ['packages/cli/src/seeded-known.ts', '@fairlead/sdk'],
  ['packages/egress/src/seeded-known.ts', '@fairlead/service-kit/clock'],
  ['packages/rest-kit/src/seeded-known.ts', '@fairlead/audit-log/audit-log'],
  ['packages/rest-records/src/seeded-known.ts', '@fairlead/rest-kit/fields'],
  ['services/brand-new/src/use-cases/seeded-known.ts', '../ports/seeds.ts'],
  ['services/brand-new/src/rpc/seeded-known.ts', '@fairlead/contracts/tools/v1/tool_pb'],
  ['services/brand-new/src/storage/seeded-known.ts', '../ports/seeds.ts'],
].map(([path = '', specifier = '']) => ({ ...imports(path, specifier, ''), path }));

describe('the lint configuration refuses a seeded violation', () => {
  const findings = new Map<string, string>();
  let tree: string;
  let status: number | null = null;

  /** A separate tree with the same configuration, so that other tests do not see the seeded violations; one run for all. */
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'fairlead-lint-'));
    for (const name of CONFIGURATION) cpSync(join(ROOT, name), join(tree, name));
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    const files = [...violations, ...allowed, ...known];
    for (const { path, source } of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), source);
    }
    // Given by path: without a .gitignore it would lint all of node_modules.
    const paths = files.map(({ path }) => path);
    const run = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--format', 'json', ...paths], {
      cwd: tree,
      encoding: 'utf8',
      timeout: 150_000,
    });
    status = run.status;
    // Members documented for oxlint's JSON format.
    const { diagnostics } = JSON.parse(run.stdout) as {
      diagnostics: readonly { filename: string; message: string; code: string; help?: string }[];
    };
    for (const { filename, message, code, help = '' } of diagnostics) {
      findings.set(filename, `${findings.get(filename) ?? ''}${code}: ${message} ${help}\n`);
    }
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  it.each(violations)('$rule', ({ path, says }) => {
    expect(findings.get(path)).toContain(says);
  });

  it('with a status that fails the check', () => {
    expect(status).toBe(1);
  });

  it.each(allowed)('and passes a file that breaks nothing: $path', ({ path }) => {
    expect(findings.get(path)).toBeUndefined();
  });

  it.each(known)('and lets a file import what its place may know: $rule', ({ path }) => {
    expect(findings.get(path) ?? '').not.toContain('no-restricted-imports');
  });
});

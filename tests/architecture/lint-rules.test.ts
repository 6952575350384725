import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const violations = [
  {
    rule: 'a service importing another service',
    path: 'services/tools/src/use-cases/seeded-violation-1.ts',
    source:
      "import { loadConfig } from '@fairlead-services/catalog/config';\nexport const seeded = loadConfig;\n",
    says: 'never imports another service',
  },
  {
    rule: 'domain/ importing the store',
    path: 'services/tools/src/domain/seeded-violation-2.ts',
    source: "import { MongoClient } from 'mongodb';\nexport const seeded = MongoClient;\n",
    says: 'Storage implements what use cases declare',
  },
  {
    rule: 'domain/ importing a use case',
    path: 'services/tools/src/domain/seeded-violation-3.ts',
    source:
      "import { executeTool } from '../use-cases/execute-tool.ts';\nexport const seeded = executeTool;\n",
    says: 'domain/ imports nothing that stands further out',
  },
  {
    rule: 'use-cases/ importing a transport',
    path: 'services/connections/src/use-cases/seeded-violation-4.ts',
    source: "import express from 'express';\nexport const seeded = express;\n",
    says: 'Transport stays in rpc/ and routes/',
  },
  {
    rule: 'rpc/ reaching past the use cases into storage/',
    path: 'services/connections/src/rpc/seeded-violation-5.ts',
    source:
      "import { connectionCollection } from '../storage/connection.collection.ts';\nexport const seeded = connectionCollection;\n",
    says: 'Storage implements what use cases declare',
  },
  {
    rule: 'service-kit learning a domain noun',
    path: 'packages/service-kit/src/seeded-violation-6.ts',
    source:
      "import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';\nexport const seeded = ToolService;\n",
    says: 'service-kit knows no domain noun',
  },
  {
    rule: 'reading the environment outside config.ts',
    path: 'services/catalog/src/domain/seeded-violation-7.ts',
    source: "export const seeded = process.env['HOME'];\n",
    says: 'process.env',
  },
  {
    rule: 'a floating promise (type-aware)',
    path: 'services/catalog/src/domain/seeded-violation-8.ts',
    source: 'export function seeded(): void {\n  Promise.resolve(1);\n}\n',
    says: 'no-floating-promises',
  },
  {
    rule: 'a switch that forgets a case (type-aware)',
    path: 'services/catalog/src/domain/seeded-violation-9.ts',
    source:
      "export function seeded(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      return;\n  }\n}\n",
    says: 'switch-exhaustiveness-check',
  },
];

/** Breaks no rule, where the strictest apply. */
const clean = { path: 'services/tools/src/domain/seeded-clean.ts', source: 'export const seeded = 1;\n' };

describe('the lint configuration refuses a seeded violation', () => {
  const seeds = [...violations, clean];
  const findings = new Map<string, string[]>();
  let status: number | null = null;

  /** One run for all, because loading the types of the whole house is what a run costs. */
  beforeAll(() => {
    for (const { path, source } of seeds) writeFileSync(join(root, path), source);
    const paths = seeds.map(({ path }) => path);
    const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format', 'json', ...paths], {
      cwd: root,
      encoding: 'utf8',
    });
    status = run.status;
    // The members that oxlint documents for its JSON format.
    const { diagnostics } = JSON.parse(run.stdout) as {
      diagnostics: readonly { filename: string; message: string; code: string; help?: string }[];
    };
    for (const { filename, message, code, help = '' } of diagnostics) {
      findings.set(filename, [...(findings.get(filename) ?? []), `${code}: ${message} ${help}`]);
    }
  });
  afterAll(() => {
    for (const { path } of seeds) rmSync(join(root, path), { force: true });
  });

  it.each(violations)('$rule', ({ path, says }) => {
    expect(findings.get(path)?.join('\n')).toContain(says);
    expect(status).not.toBe(0);
  });

  it('and passes a file that breaks nothing', () => {
    expect(findings.get(clean.path)).toBeUndefined();
  });
});

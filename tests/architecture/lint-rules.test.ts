import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const seeded: string[] = [];

/** Writes a file that breaks a rule where the rule applies, and lints it with the project's own configuration. */
function lintSeeded(path: string, source: string): { status: number | null; output: string } {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  seeded.push(file);
  const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), [path], { cwd: root, encoding: 'utf8' });
  return { status: run.status, output: run.stdout + run.stderr };
}

afterEach(() => {
  for (const file of seeded.splice(0)) rmSync(file, { force: true });
});

describe('the lint configuration refuses a seeded violation', () => {
  const violations = [
    {
      rule: 'a service importing another service',
      path: 'services/tools/src/use-cases/seeded-violation.ts',
      source: "import { loadConfig } from '@fairlead/catalog/config';\nexport const seeded = loadConfig;\n",
      says: 'never imports another service',
    },
    {
      rule: 'domain/ importing the store',
      path: 'services/tools/src/domain/seeded-violation.ts',
      source: "import { MongoClient } from 'mongodb';\nexport const seeded = MongoClient;\n",
      says: 'Storage implements what use cases declare',
    },
    {
      rule: 'domain/ importing a use case',
      path: 'services/tools/src/domain/seeded-violation.ts',
      source:
        "import { executeTool } from '../use-cases/execute-tool.ts';\nexport const seeded = executeTool;\n",
      says: 'domain/ imports nothing that stands further out',
    },
    {
      rule: 'use-cases/ importing a transport',
      path: 'services/connections/src/use-cases/seeded-violation.ts',
      source: "import express from 'express';\nexport const seeded = express;\n",
      says: 'Transport stays in rpc/ and routes/',
    },
    {
      rule: 'rpc/ reaching past the use cases into storage/',
      path: 'services/connections/src/rpc/seeded-violation.ts',
      source:
        "import { connectionCollection } from '../storage/connection.collection.ts';\nexport const seeded = connectionCollection;\n",
      says: 'Storage implements what use cases declare',
    },
    {
      rule: 'service-kit learning a domain noun',
      path: 'packages/service-kit/src/seeded-violation.ts',
      source:
        "import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';\nexport const seeded = ToolService;\n",
      says: 'service-kit knows no domain noun',
    },
    {
      rule: 'reading the environment outside config.ts',
      path: 'services/catalog/src/domain/seeded-violation.ts',
      source: "export const seeded = process.env['HOME'];\n",
      says: 'process.env',
    },
    {
      rule: 'a floating promise (type-aware)',
      path: 'services/catalog/src/domain/seeded-violation.ts',
      source: 'export function seeded(): void {\n  Promise.resolve(1);\n}\n',
      says: 'no-floating-promises',
    },
    {
      rule: 'a switch that forgets a case (type-aware)',
      path: 'services/catalog/src/domain/seeded-violation.ts',
      source:
        "export function seeded(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      return;\n  }\n}\n",
      says: 'switch-exhaustiveness-check',
    },
  ];

  it.each(violations)('$rule', ({ path, source, says }) => {
    const { status, output } = lintSeeded(path, source);
    expect(output).toContain(says);
    expect(status).not.toBe(0);
  });

  it('and passes a file that breaks nothing', () => {
    const { status, output } = lintSeeded(
      'services/tools/src/domain/seeded-violation.ts',
      'export const seeded = 1;\n',
    );
    expect(output).toContain('Found 0 warnings and 0 errors');
    expect(status).toBe(0);
  });
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let scratch: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'fairlead-protos-'));
});
afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function buf(cwd: string, ...args: readonly string[]): { status: number | null; output: string } {
  // protoc-gen-es is looked up on PATH.
  const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH: path };
  const run = spawnSync(join(root, 'node_modules/.bin/buf'), args, { cwd, encoding: 'utf8', env });
  return { status: run.status, output: run.stdout + run.stderr };
}

/** Contents of all files below a directory, by relative path. */
function snapshot(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

describe('protos', () => {
  it('the committed generated code is what the protos generate', () => {
    const { status, output } = buf(root, 'generate', '-o', scratch);
    expect(output).toBe('');
    expect(status).toBe(0);
    const generated = snapshot(join(scratch, 'packages/contracts/gen'));
    expect(Object.keys(generated).length).toBeGreaterThan(0);
    expect(snapshot(join(root, 'packages/contracts/gen'))).toEqual(generated);
  });

  it('break no client that was built against the baseline', () => {
    expect(buf(root, 'breaking', '--against', 'proto/baseline.binpb')).toEqual({ status: 0, output: '' });
  });

  it('a removed field is a breaking change', () => {
    cpSync(join(root, 'proto'), join(scratch, 'proto'), { recursive: true });
    cpSync(join(root, 'buf.yaml'), join(scratch, 'buf.yaml'));
    const file = join(scratch, 'proto/fairlead/common/v1/page.proto');
    writeFileSync(file, readFileSync(file, 'utf8').replace('int32 top = 2;', ''));
    const { status, output } = buf(scratch, 'breaking', '--against', 'proto/baseline.binpb');
    expect(output).toContain('"top"');
    expect(status).not.toBe(0);
  });
});

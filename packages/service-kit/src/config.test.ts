import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ConfigError,
  jsonVariable,
  loadConfig,
  mongoConfigShape,
  secretVariable,
  serverConfigShape,
} from './config.ts';

const key = `v1:${Buffer.alloc(32, 1).toString('base64')}`;
const serverSchema = z.object(serverConfigShape);

function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

it('defaults apply if nothing is set, and the result is frozen', () => {
  const config = loadConfig(serverSchema, { CALLER_CONTEXT_KEYS: key });
  expect(config).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    LOG_LEVEL: 'info',
    SHUTDOWN_GRACE_MS: 10_000,
  });
  expect(config.CALLER_CONTEXT_KEYS.current).toBe('v1');
  expect(Object.isFrozen(config)).toBe(true);
});

it('every problem is listed at once, one per line, and none shows a value', () => {
  const schema = z.object({ ...serverConfigShape, ...mongoConfigShape });
  const problems = problemsOf(() =>
    loadConfig(schema, {
      PORT: '99999',
      LOG_LEVEL: 'loud',
      CALLER_CONTEXT_KEYS: 'hunter2',
      MONGODB_URI: 'postgres://root:hunter2@db',
      MONGODB_DATABASE: '',
    }),
  );
  expect(new Set(problems.map((line) => line.split(':', 1)[0]))).toEqual(
    new Set(['CALLER_CONTEXT_KEYS', 'LOG_LEVEL', 'MONGODB_DATABASE', 'MONGODB_URI', 'PORT']),
  );
  expect(problems).toContain('MONGODB_DATABASE: required, but not set');
  expect(problems).toContain('CALLER_CONTEXT_KEYS: key 1 is not <version>:<base64 of 32 bytes>');
  expect(problems.join()).not.toContain('hunter2');
});

it('an empty variable counts as unset', () => {
  expect(loadConfig(serverSchema, { CALLER_CONTEXT_KEYS: key, PORT: '' }).PORT).toBe(0);
});

describe('NAME_FILE', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'key');
  const schema = z.object({ TOKEN: secretVariable });

  it('is read if NAME is unset or empty, without the last line break', () => {
    writeFileSync(file, 'from file\n');
    expect(loadConfig(schema, { TOKEN: '', TOKEN_FILE: file }).TOKEN.reveal()).toBe('from file');
    expect(loadConfig(schema, { TOKEN_FILE: file }).TOKEN.reveal()).toBe('from file');
  });

  it('is ignored if NAME is set', () => {
    writeFileSync(file, 'from file');
    expect(loadConfig(schema, { TOKEN: 'direct', TOKEN_FILE: file }).TOKEN.reveal()).toBe('direct');
  });

  it('that cannot be read is one problem', () => {
    expect(problemsOf(() => loadConfig(schema, { TOKEN_FILE: '/nowhere/at/all' }))).toEqual([
      'TOKEN: cannot read the file that TOKEN_FILE names (ENOENT)',
    ]);
  });
});

describe('a JSON variable', () => {
  const schema = z.object({ SETTINGS: jsonVariable(z.record(z.string(), z.object({ baseUrl: z.url() }))) });

  it('is parsed and checked', () => {
    expect(loadConfig(schema, { SETTINGS: '{"crm":{"baseUrl":"http://127.0.0.1:1"}}' }).SETTINGS).toEqual({
      crm: { baseUrl: 'http://127.0.0.1:1' },
    });
  });

  it('reports the path of a problem', () => {
    expect(problemsOf(() => loadConfig(schema, { SETTINGS: '{"crm":{"baseUrl":7}}' }))[0]).toMatch(
      /^SETTINGS\.crm\.baseUrl: /,
    );
    expect(problemsOf(() => loadConfig(schema, { SETTINGS: '{' }))).toEqual(['SETTINGS: is not JSON']);
  });
});

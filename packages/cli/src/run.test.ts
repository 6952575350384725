import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromBinary, toBinary, create } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { verifyCaller } from '@fairlead/service-kit/context/caller-token';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { RpcServer } from '@fairlead/service-kit/rpc/server';
import { startEchoServer, testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invoke } from './testing/invoke.ts';

const KEYS = testCallerKeysText;

const call = invoke;

function callerOf(header: string, audience = 'catalog'): unknown {
  const [name, token = ''] = header.trim().split(': ');
  expect(name).toBe('x-fairlead-caller');
  const { caller, expiresAt } = verifyCaller(token, { audience, keys: testCallerKeys }, new Date());
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + 60_000);
  return caller;
}

async function instance(): Promise<string> {
  const data = await temporaryFolder();
  await writeFile(join(data, 'secrets.json'), JSON.stringify({ callerContextKeys: KEYS }));
  const dev = {
    baseUrl: 'http://127.0.0.1:4710',
    pid: process.pid,
    account: { accountId: 'acc_dev' },
    grpc: { catalog: 'http://127.0.0.1:4711', tools: 'http://127.0.0.1:4712' },
  };
  await writeFile(join(data, 'dev.json'), JSON.stringify(dev));
  return data;
}

describe('fairlead context', () => {
  it('takes key and account from the running instance, and prints a command with its address', async () => {
    const { code, out, err } = await call(['context', '--for', 'catalog'], { data: await instance() });
    expect(code).toBe(0);
    expect(callerOf(out)).toMatchObject({ kind: 'user', accountId: 'acc_dev', userId: 'fairlead-cli' });
    expect(err).toContain('buf curl');
    expect(err).toContain('http://127.0.0.1:4711/fairlead.catalog.v1.');
    expect(err).toContain('grpcurl -plaintext 127.0.0.1:4711 list');
    expect(err).toContain('fairlead context --for catalog');
    expect(err).not.toContain(KEYS.slice(3));
  });

  it('options and the environment win', async () => {
    const environment = { CALLER_CONTEXT_KEYS: KEYS };
    const { out } = await call(['context', '--for', 'tools', '--account', 'acc_2', '--user', 'usr_2'], {
      environment,
    });
    expect(callerOf(out, 'tools')).toMatchObject({ accountId: 'acc_2', userId: 'usr_2' });
    const other = await call(['context', '--for=catalog', '--data', await instance(), '--account', 'acc_3']);
    expect(callerOf(other.out)).toMatchObject({ accountId: 'acc_3' });
  });

  it.each([
    [['context'], { CALLER_CONTEXT_KEYS: KEYS }, 2, "required option '--for <service>' not specified"],
    [['context', '--for', 'Tools!'], {}, 2, 'Expected the name of a service'],
    [['context', '--for', 'tools'], {}, 1, 'set CALLER_CONTEXT_KEYS'],
    [['context', '--for', 'tools'], { CALLER_CONTEXT_KEYS: 'v1:AAAA' }, 1, 'KEYS: key v1 has 3 bytes'],
    [['context', '--for', 'tools'], { CALLER_CONTEXT_KEYS: KEYS }, 1, '--account is required'],
    [[], {}, 2, 'Usage: fairlead'],
    [['deploy'], {}, 2, "unknown command 'deploy'"],
    [['context', '--account='], {}, 2, 'must not be empty'],
    [['context', '--for', 'tools', '--bogus'], {}, 2, "unknown option '--bogus'"],
  ])('%j with %j is refused and prints no header', async (argv, environment, code, text) => {
    const result = await call(argv, { environment });
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toContain(text);
  });

  it('a service that the running instance does not have is refused with the names of those that it has', async () => {
    const result = await call(['context', '--for', 'tolls'], { data: await instance() });
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(result.err).toContain('no service is called tolls; --for takes one of catalog, tools');
  });

  it('--version prints the version of the package', async () => {
    expect(await call(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });

  it('--help explains', async () => {
    expect(await call(['context', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('--account') as string,
    });
    const { code, out } = await call(['--help']);
    expect(code).toBe(0);
    for (const command of ['login', 'users', 'accounts', 'doctor', 'Exit codes'])
      expect(out).toContain(command);
  });
});

describe('a printed context, as the command prints it', () => {
  let server: RpcServer;
  let header: string;

  beforeAll(async () => {
    server = await startEchoServer(({ value }, h) => {
      const { caller } = requestContext(h);
      return { value: `${value} ${caller.kind === 'user' ? caller.accountId : ''}` };
    });
    const cli = fileURLToPath(new URL('cli.ts', import.meta.url));
    const env = { ...process.env, CALLER_CONTEXT_KEYS: KEYS };
    // An instance that runs in this tree would have services of its own.
    const nowhere = fileURLToPath(new URL('no-instance', import.meta.url));
    const args = [cli, 'context', '--for', 'echo', '--account', 'acc_1', '--data', nowhere];
    header = (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
  });
  afterAll(() => server.close());

  it('lets grpc-js in', async () => {
    const client = new grpc.Client(new URL(server.grpcUrl).host, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    const [name = '', token = ''] = header.split(': ');
    metadata.set(name, token);
    const answer = await new Promise<string>((resolve, reject) => {
      client.makeUnaryRequest(
        '/fairlead.testing.v1.EchoService/Say',
        (value: string) => Buffer.from(toBinary(StringValueSchema, create(StringValueSchema, { value }))),
        (bytes: Buffer) => fromBinary(StringValueSchema, bytes).value,
        'hello',
        metadata,
        (error, value) => (error === null ? resolve(value ?? '') : reject(error)),
      );
    });
    client.close();
    expect(answer).toBe('hello acc_1');
  });

  it.each([['connect'], ['grpc'], ['grpcweb']])(
    'lets buf curl in over %s, which finds the method by reflection',
    async (protocol) => {
      const method = `${server.grpcUrl}/fairlead.testing.v1.EchoService/Say`;
      const args = ['--protocol', protocol, '--http2-prior-knowledge', '-H', header, '-d', '"hello"', method];
      const { stdout } = await promisify(execFile)('buf', ['curl', ...args]);
      expect(JSON.parse(stdout)).toBe('hello acc_1');
    },
  );
});

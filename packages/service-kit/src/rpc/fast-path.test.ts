import { once } from 'node:events';
import http from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { ConnectError, Code } from '@connectrpc/connect';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, it } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { signedCaller, startEchoServer } from '../testing/rpc.ts';
import { requestContext } from './request.ts';
import type { RpcServer } from './server.ts';

/** connect-node serves clients that offer compression; the fast path serves the others. */
const paths = { fast: {}, library: { 'accept-encoding': 'br' } };

const servers: RpcServer[] = [];

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(...args: Parameters<typeof startEchoServer>): Promise<RpcServer> {
  const server = await startEchoServer(...args);
  servers.push(server);
  return server;
}

async function post(server: RpcServer, headers: http.OutgoingHttpHeaders, body: Uint8Array) {
  const request = http.request(`${server.httpUrl}/fairlead.testing.v1.EchoService/Say`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/proto', 'x-request-id': 'req-1', ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks = await response.toArray();
  const { date: _, ...rest } = response.headers;
  return { status: response.statusCode, headers: rest, body: Buffer.concat(chunks).toString('latin1') };
}

const text = (value: string): Uint8Array => toBinary(StringValueSchema, create(StringValueSchema, { value }));

describe('caller context, errors and log lines are the same on both paths', () => {
  it.each<[string, http.OutgoingHttpHeaders, Uint8Array]>([
    ['a call', signedCaller(), text('hello')],
    ['a call with a deadline', { ...signedCaller(), 'connect-timeout-ms': '5000' }, text('hello')],
    ['an error for the caller', signedCaller(), text('api error')],
    ["the RPC library's error", signedCaller(), text('connect error')],
    ['a bug', signedCaller(), text('bug')],
    ['no caller context', {}, text('hello')],
    ['bytes that are no message', signedCaller(), Buffer.from([0xff, 0xff, 0xff])],
  ])('%s', async (_, headers, body) => {
    const { log, lines } = captureLog();
    const server = await start(
      ({ value }, h) => {
        if (value === 'connect error') throw new ConnectError('Not now.', Code.Unavailable);
        if (value === 'bug') throw new TypeError('undefined is not a function');
        if (value !== 'api error') return { value: requestContext(h).caller.kind };
        throw new ApiError('AMBIGUOUS_TOOL', 'Which one?', {
          candidates: ['a', 'b'],
          details: [{ field: 'tool', issue: 'is ambiguous' }],
        });
      },
      { log },
    );
    const fast = await post(server, { ...headers, ...paths.fast }, body);
    const library = await post(server, { ...headers, ...paths.library }, body);
    expect(fast).toEqual(library);
    const written = lines()
      .filter(({ msg }) => msg === 'rpc')
      .map(({ level, ...line }) => ({ level, code: line['code'], requestId: line['requestId'] }));
    // Invalid messages are refused before a method is looked up, and cause no log line.
    expect(written.slice(0, written.length / 2)).toEqual(written.slice(written.length / 2));
  });
});

it.each(Object.entries(paths))(
  'on the %s path a passed deadline gets a response although the method ignores it',
  async (_, path) => {
    const server = await start(() => new Promise(() => {}));
    const headers = { ...signedCaller(), ...path, 'connect-timeout-ms': '50' };
    expect(await post(server, headers, text('x'))).toMatchObject({ status: 504 });
  },
);

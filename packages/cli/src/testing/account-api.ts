import { startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { afterEach } from 'vitest';
import { invoke } from './invoke.ts';
import type { CommandResult, InvokeOptions } from './invoke.ts';

type PlainReply = Exclude<Reply, (...written: never[]) => unknown>;

/** Runs command lines of an account against an API with the test's responses. */
export interface AccountApi {
  /** Runs a command line against a new API, which answers every request with `reply`, or as `reply` decides if it is a function. */
  readonly call: (
    argv: readonly string[],
    reply: PlainReply | ((request: ReceivedRequest) => Reply),
    options?: InvokeOptions,
  ) => Promise<CommandResult>;
  /** The requests of the last command line, `body` as JSON. */
  readonly sent: () => { line: string; body: unknown }[];
  /** The same requests, as they arrived. */
  readonly received: () => readonly ReceivedRequest[];
}

/** An AccountApi for the tests of a file, each of which starts without requests. */
export function accountApi(): AccountApi {
  let server: ApiServer | undefined;
  const stop = async (): Promise<void> => {
    await server?.close();
    server = undefined;
  };
  afterEach(stop);
  return {
    call: async (argv, reply, options = {}) => {
      await stop();
      server = await startApiServer((request) => (typeof reply === 'function' ? reply(request) : reply));
      return await invoke(argv, {
        ...options,
        environment: {
          FAIRLEAD_URL: server.url,
          FAIRLEAD_API_KEY: 'fairlead_account_key',
          FAIRLEAD_CONFIG_DIR: '/nowhere',
        },
      });
    },
    sent: () =>
      (server?.received ?? []).map(({ method, path, body }) => ({
        line: `${method} ${path}`,
        body: body === '' ? undefined : (JSON.parse(body) as unknown),
      })),
    received: () => server?.received ?? [],
  };
}

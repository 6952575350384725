import process from 'node:process';
import type { RequestOptions } from '@modelcontextprotocol/client';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { JobOptions } from '@fairlead/worker-pool/serve-jobs';
import { CallFailure } from '../failure.ts';
import { callMcpTool } from '../mcp/call-tool.ts';
import { discoverTools } from '../mcp/discover-tools.ts';
import type { McpSession } from '../mcp/session.ts';
import { createSessionClient } from '../mcp/session-client.ts';
import { createSessionMessages } from '../mcp/session-messages.ts';
import { errorMessage } from './error-message.ts';
import { runProgram } from './load-program.ts';
import type { ServerStart } from './package-job.ts';
import { replaceStandardStreams } from './standard-streams.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Time limit and cancellation of a call. */
type Limits = Pick<JobOptions, 'signal' | 'timeoutMs'>;
/** `retire` ends the process after the call. */
type CallOptions = Limits & Pick<JobOptions, 'retire'>;

/** A running server. It serves one call at a time. */
interface RunningServer {
  /** Starts the limits of a call. */
  begin(): void;
  end(): void;
  session(limits: Limits): McpSession;
  readonly hasEnded: () => boolean;
}

/** The server of this process, which runs one program with one environment. */
let running: RunningServer | undefined;

/** The server's name, version and tools, in the catalogue's form. */
export async function describeServer(start: ServerStart, options: CallOptions): Promise<JsonObject> {
  // The tools are JSON.
  return withServer(start, options, discoverTools) as unknown as Promise<JsonObject>;
}

/** Calls a tool of the server. Throws CallFailure if the result is an error. */
export async function callServer(
  {
    action: toolName,
    fields,
    ...start
  }: ServerStart & { readonly action: string; readonly fields: JsonObject },
  options: CallOptions,
): Promise<JsonObject> {
  const call = {
    toolName,
    inputSchema: {},
    fields,
    isTask: false,
    takesMcpResult: false,
    client: undefined,
  };
  return withServer(start, options, (session) => callMcpTool(session, call));
}

/**
 * Starts the server if none is running: the first call of this process, or the server has ended since the last one. A program cannot be
 * unloaded and may go on, so a server that has ended, or does not start, retires the process.
 */
async function withServer<T>(
  start: ServerStart,
  { retire, ...limits }: CallOptions,
  use: (session: McpSession) => Promise<T>,
): Promise<T> {
  if (running?.hasEnded() === false) running.begin();
  else {
    if (running !== undefined) retire();
    running = await startServer(start, limits).catch((error: unknown) => {
      retire();
      throw error;
    });
  }
  const server = running;
  const session = server.session(limits);
  try {
    return await use(session);
  } catch (error) {
    const { signal } = session.options;
    // The reason why the server broke off says more than the error of the SDK.
    throw signal?.aborted === true && signal.reason instanceof CallFailure ? signal.reason : error;
  } finally {
    server.end();
    if (server.hasEnded()) retire();
  }
}

/** Runs a server's program in this process, and greets it. Throws CallFailure with the end of its standard error. */
async function startServer(start: ServerStart, limits: Limits): Promise<RunningServer> {
  const messages = createSessionMessages();
  const transport = new StdioTransport(messages);
  let hasEnded = false;
  const breakOff = (reason: string, cause?: unknown): CallFailure => {
    hasEnded = true;
    const said = streams.errors();
    return messages.breakOff(
      new CallFailure(said === '' ? reason : `${reason} It wrote: ${said}`, { cause }),
    );
  };
  const streams = replaceStandardStreams({
    onOutput: (chunk) => transport.read(chunk),
    onEnd: (code) => void breakOff(`The MCP server ended with code ${String(code)}.`),
  });
  transport.connectTo(streams.stdin);
  const optionsOf = ({ signal, timeoutMs }: Limits): RequestOptions => ({
    signal: AbortSignal.any([signal, messages.broken]),
    timeout: timeoutMs,
  });
  process.env = { ...start.environment };
  process.argv = ['node', start.program.replace(/\.cjs$/, '/package.cjs'), ...start.arguments];
  const client = createSessionClient('legacy', messages);
  try {
    const main = runProgram(start.program);
    if (typeof main !== 'function') throw new TypeError('The program of the server is no function.');
    const failed = Promise.resolve(Reflect.apply(main, undefined, [])).then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => {
        throw breakOff(`The MCP server failed: ${errorMessage(error)}`, error);
      },
    );
    const options = optionsOf(limits);
    await Promise.race([failed, client.connect(transport, options), rejectionOf(options.signal)]);
  } catch (error) {
    if (messages.broken.aborted) throw messages.broken.reason;
    throw breakOff(`The MCP server did not start: ${errorMessage(error)}`, error);
  }
  return {
    hasEnded: () => hasEnded || messages.broken.aborted,
    begin() {
      messages.startCall();
      transport.isBusy = true;
    },
    end() {
      messages.endCall();
      transport.isBusy = false;
    },
    session: (of) => ({
      client,
      options: optionsOf(of),
      conversation: undefined,
      setAsideContent: () => messages.setAsideContent(),
      sendAside: () => Promise.reject(new CallFailure('The MCP server did not answer.')),
    }),
  };
}

function rejectionOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = (): void =>
      reject(signal?.reason instanceof Error ? signal.reason : new Error('Aborted.'));
    if (signal?.aborted === true) refuse();
    signal?.addEventListener('abort', refuse, { once: true });
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@fairlead/local-stores/ports';

/** The MCP project's reference server, in a separate process. */
export interface EverythingServer {
  /** URL of the endpoint of the server's transport. */
  readonly url: string;
  /** The server's log, which contains the start and end of sessions. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** Starts the reference server on a free port and resolves once it listens. */
export async function startEverythingServer(
  wire: 'streamableHttp' | 'sse' = 'streamableHttp',
): Promise<EverythingServer> {
  const port = await freePort();
  const entry = new URL(
    'dist/index.js',
    import.meta.resolve('@modelcontextprotocol/server-everything/package.json'),
  );
  const child = spawn(process.execPath, [fileURLToPath(entry), wire], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const listening = Promise.withResolvers<void>();
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      lines.push(line);
      if (/(listening|running) on port/.test(line)) listening.resolve();
    });
  }
  child.once('exit', (code) => {
    listening.reject(new Error(`The server ended with code ${String(code)}: ${lines.join('\n')}`));
  });
  await listening.promise;
  return {
    url: `http://127.0.0.1:${port}/${wire === 'sse' ? 'sse' : 'mcp'}`,
    lines,
    close: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ProvidedContext } from 'vitest';

/** The program. */
export const CLI = fileURLToPath(new URL('../../../packages/cli/src/cli.ts', import.meta.url));

/** The result of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Variables = Readonly<Record<string, string>>;

/** Runs command lines against a stack. */
export interface CommandLine {
  /** The environment of the program: only this and `more`. */
  readonly environment: (more: Variables) => NodeJS.ProcessEnv;
  /** Runs a command line like a script: no terminal, `input` on standard input. */
  readonly fairlead: (
    argv: readonly string[],
    o?: { readonly env?: Variables; readonly input?: string },
  ) => Promise<Ran>;
  /** The JSON output of a command line that succeeds and writes nothing to standard error. */
  readonly json: (argv: readonly string[], env?: Variables) => Promise<any>;
}

/** Command lines of a person with home folder `home`. */
export function cli(stack: ProvidedContext['stack'], home: string): CommandLine {
  const environment: CommandLine['environment'] = (more) => ({
    PATH: process.env['PATH'],
    HOME: home,
    FAIRLEAD_URL: stack.baseUrl,
    ...more,
  });
  const fairlead: CommandLine['fairlead'] = (argv, { env = {}, input = '' } = {}) =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [CLI, ...argv], { env: environment(env) }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
      child.stdin?.end(input);
    });
  return {
    environment,
    fairlead,
    json: async (argv, env = {}) => {
      const { code, out, err } = await fairlead([...argv, '--json'], { env });
      expect(err.replace(/^Store .*\n/, '')).toBe('');
      expect(code).toBe(0);
      return JSON.parse(out);
    },
  };
}

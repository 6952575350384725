import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ProvidedContext } from 'vitest';

/** The program. */
export const CLI = fileURLToPath(new URL('../../../packages/cli/src/cli.ts', import.meta.url));

/** How a command line ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Variables = Readonly<Record<string, string>>;

/** Command lines against a stack. */
export interface CommandLine {
  /** The environment of the program, and nothing else but `more`. */
  readonly environment: (more: Variables) => NodeJS.ProcessEnv;
  /** Runs one as a script would: no terminal, `input` on its standard input. */
  readonly fairlead: (
    argv: readonly string[],
    o?: { readonly env?: Variables; readonly input?: string },
  ) => Promise<Ran>;
  /** The JSON of one that succeeds and says nothing else. */
  readonly json: (argv: readonly string[], env?: Variables) => Promise<any>;
}

/** Command lines of a person whose home is `home`. */
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

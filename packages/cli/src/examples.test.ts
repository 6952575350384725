import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { EXIT_CODES } from './failure.ts';
import { programOf } from './run.ts';
import { invoke } from './testing/invoke.ts';
import type { World } from './world.ts';

let err = '';
const world: World = {
  environment: {},
  cwd: '/',
  defaultData: '/nowhere',
  platform: 'linux',
  in: new PassThrough(),
  out: { write: () => undefined },
  err: { write: (text) => (err += text) },
  isTerminal: false,
  now: () => new Date(),
  wait: () => Promise.resolve(),
  openBrowser: () => undefined,
  signal: new AbortController().signal,
};

/** The paths of the commands that have an action of their own. */
function leaves(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

const paths = leaves(programOf(world));

/** The examples that a command's --help shows. */
async function examplesOf(path: readonly string[]): Promise<readonly string[]> {
  const { code, out } = await invoke([...path, '--help']);
  expect(code).toBe(0);
  const [, block = ''] = /\nExamples:\n((?: {2}.*\n)+)/.exec(out) ?? [];
  return block.split('\n').flatMap((line) => (line === '' ? [] : [line.trim()]));
}

/** The arguments of each line, as a shell passes them; files that a line reads exist. */
async function argumentsOf(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const folder = await temporaryFolder();
  for (const [, file = ''] of lines.join('\n').matchAll(/< (\S+)/g)) writeFileSync(join(folder, file), '{}');
  const shown = 'fairlead() { printf "%s\\0" "$@"; printf "\\1"; }';
  const output = execFileSync('sh', ['-euc', [shown, ...lines].join('\n')], {
    cwd: folder,
    encoding: 'utf8',
  });
  return output
    .split('\u0001')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

it('every command has examples, each of which calls that command', async () => {
  expect(paths.length).toBeGreaterThan(70);
  for (const path of paths) {
    const examples = await examplesOf(path);
    expect(examples, path.join(' ')).not.toEqual([]);
    for (const line of examples) expect(`${line} `).toContain(`fairlead ${path.join(' ')} `);
  }
});

it('the real parser accepts every example', async () => {
  const lines = (await Promise.all(paths.map(examplesOf))).flat();
  const calls = await argumentsOf(lines);
  expect(calls).toHaveLength(lines.length);
  for (const [index, argv] of calls.entries()) {
    const program = programOf(world);
    let reached = 0;
    for (const command of commandsOf(program)) {
      command.action(() => {
        reached += 1;
      });
    }
    err = '';
    await program.parseAsync([...argv], { from: 'user' }).catch(() => undefined);
    expect([reached, err], lines[index]).toEqual([1, '']);
  }
});

it('every --help and the README name the exit codes', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const code of Object.values(EXIT_CODES))
    expect(readme).toMatch(new RegExp(`^\\| ${code} +\\| \\S`, 'm'));
  for (const path of [[], ...paths]) {
    const { out } = await invoke([...path, '--help']);
    for (const code of [
      '0 done',
      '1 failed',
      '2 called wrongly',
      '3 not signed in',
      '4 not found',
      '5 try later',
      '130 Ctrl-C',
    ])
      expect(out, path.join(' ')).toContain(code);
  }
});

function commandsOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf);
}

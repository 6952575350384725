import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Shells without the user's files and line editing. */
const SHELLS = {
  bash: 'bash --noprofile --norc --noediting -i',
  zsh: 'zsh -f -i +Z -o no_prompt_sp -o no_prompt_cr',
} as const;

/** A shell into which code blocks are pasted. */
export type ShellName = keyof typeof SHELLS;

/** Longer than any block takes on a busy machine: after it, a command is assumed to have read the end of the block. */
const PATIENCE_MS = 180_000;

/** Whether code blocks can be pasted into the shell here. It needs the shell, and `script` of util-linux for its terminal. */
export function isInstalled(shell: ShellName): boolean {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return spawnSync(shell, ['-c', 'exit 0']).status === 0 && (stdout?.includes('util-linux') ?? false);
}

/** A reader's PATH: without the programs that npm adds for scripts. */
const readersPath = (): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);

/**
 * An interactive shell at a terminal, into which code blocks are pasted one after another, as by a reader. A command that reads standard
 * input gets the following pasted lines, as in reality. Its environment is HOME, PATH, TERM and `environment`.
 */
export class PastingShell {
  readonly #process: ChildProcessWithoutNullStreams;
  /** The shell's prompt, printed once per line that it reads. */
  readonly #prompt = `<${randomUUID()}>`;
  #output = '';
  #pid = 0;

  private constructor(name: ShellName, directory: string, environment: Readonly<Record<string, string>>) {
    // Neither echo nor carriage returns: `set -v` below prints each line read by the shell itself.
    const command = `stty -echo -onlcr; echo "process $$ is ready"; exec ${SHELLS[name]}`;
    this.#process = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: directory,
      env: { HOME: homedir(), PATH: readersPath(), TERM: 'dumb', ...environment },
    });
    const collect = (text: string): void => {
      this.#output += text;
    };
    this.#process.stdout.setEncoding('utf8').on('data', collect);
    this.#process.stderr.setEncoding('utf8').on('data', collect);
  }

  /** Starts the shell in `directory`. */
  static async open(
    name: ShellName,
    directory: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PastingShell> {
    const shell = new PastingShell(name, directory, environment);
    const [, pid] = await shell.#until(/^process (\d+) is ready\n/m, name);
    shell.#pid = Number(pid);
    const setting = `PS1='${shell.#prompt}' PS2='${shell.#prompt}'; set -v; echo be""gin`;
    shell.#process.stdin.write(`${setting}\n`);
    await shell.#until(/begin\n/, name);
    return shell;
  }

  /**
   * Pastes a block and returns everything printed, once its last line has finished. Throws an error if a command has read a line that was
   * meant for the shell.
   */
  async paste(block: string): Promise<string> {
    const mark = randomUUID();
    const lines = [...block.trimEnd().split('\n'), `printf 'done-%s\\n' ${mark}`];
    this.#process.stdin.write(lines.map((line) => `${line}\n`).join(''));
    const [, printed = ''] = await this.#until(new RegExp(`^([^]*?)done-${mark}\n`), block);
    const [before = '', ...afterPrompts] = printed.split(this.#prompt);
    const read = afterPrompts.map((text) => text.slice(0, text.indexOf('\n')));
    if (read.length < lines.length) {
      const swallowed = lines.find((line, at) => line !== read[at]);
      throw new Error(`A command read this line, which was meant for the shell: ${swallowed}\n${block}`);
    }
    return before + afterPrompts.map((text) => text.slice(text.indexOf('\n') + 1)).join('');
  }

  /** Waits for output, removes it and everything before it, and returns the match. */
  async #until(end: RegExp, block: string): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = end.exec(this.#output);
        if (found === null) return;
        this.#output = this.#output.slice(found.index + found[0].length);
        settle(() => resolve(found));
      };
      const fail = (reason: string): void =>
        settle(() => reject(new Error(`${reason}:\n${block}\n${this.#output}`)));
      const left = (): void => fail('The shell ended within this block');
      const settle = (report: () => void): void => {
        clearTimeout(timer);
        for (const stream of [this.#process.stdout, this.#process.stderr]) stream.off('data', look);
        this.#process.off('exit', left);
        report();
      };
      const timer = setTimeout(
        () => fail('A command of this block never ends, or read its end'),
        PATIENCE_MS,
      );
      for (const stream of [this.#process.stdout, this.#process.stderr]) stream.on('data', look);
      this.#process.on('exit', left);
      look();
    });
  }

  /** Hangs up, like closing the terminal: everything run by the shell ends. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    process.kill(this.#pid, 'SIGHUP');
    await once(this.#process, 'exit');
  }
}

/**
 * A folder that looks like a checkout with a running `npm start`: links to the tree's files, and `dev.json` of a stack that runs elsewhere.
 */
export async function linkedCheckout(
  dev: unknown,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-test-walk-'));
  const names = (await readdir(root)).filter((name) => name !== '.fairlead' && name !== '.git');
  await Promise.all(names.map((name) => symlink(join(root, name), join(path, name))));
  await mkdir(join(path, '.fairlead'));
  await writeFile(join(path, '.fairlead/dev.json'), JSON.stringify(dev));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

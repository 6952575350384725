import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** The shell blocks of a page's walk, in order: fenced blocks marked `sh walk`. */
export function walkBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh walk\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** A shell into which blocks are pasted one after the other, as a reader would. */
export class PastingShell {
  readonly #shell: ChildProcessWithoutNullStreams;
  #output = '';

  /** Starts bash in `directory`, with `environment` added to our own. */
  constructor(directory: string, environment: Readonly<Record<string, string>>) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: directory,
      env: { ...process.env, ...environment },
    });
    const collect = (text: string): void => {
      this.#output += text;
    };
    this.#shell.stdout.setEncoding('utf8').on('data', collect);
    this.#shell.stderr.setEncoding('utf8').on('data', collect);
  }

  /** Pastes a block and returns everything that it printed, once its last line has finished. */
  async paste(block: string): Promise<string> {
    const mark = `done-${randomUUID()}`;
    this.#output = '';
    this.#shell.stdin.write(`${block}\necho ${mark}\n`);
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const end = this.#output.indexOf(`${mark}\n`);
        if (end >= 0) finish(() => resolve(this.#output.slice(0, end)));
      };
      const left = (): void => finish(() => reject(new Error(`The shell ended early:\n${this.#output}`)));
      const finish = (settle: () => void): void => {
        this.#shell.stdout.off('data', look);
        this.#shell.off('exit', left);
        settle();
      };
      this.#shell.stdout.on('data', look);
      this.#shell.on('exit', left);
    });
  }

  /** Closes the shell. */
  close(): void {
    this.#shell.kill();
  }
}

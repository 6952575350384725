import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { LogFiles } from '../config/config.ts';

const CURRENT = 'agent.log';
const ROTATED = /^agent\.(\d+)\.log$/;
const OWNER_ONLY = 0o600;

/**
 * Log files of limited size and number: agent.log, agent.1.log and so on, the newest first. Lines that cannot be
 * written are lost, because a full disk must not end the agent.
 */
export class RotatingFile {
  readonly #o: LogFiles;
  #file: number | undefined;
  #bytes = 0;

  /** Creates the directory. Throws if the directory or the file cannot be opened. */
  constructor(o: LogFiles) {
    this.#o = o;
    mkdirSync(o.directory, { recursive: true, mode: 0o700 });
    this.#open();
    this.#removeSurplus();
  }

  /** Appends a line. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    try {
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#o.maxFileBytes) this.#rotate();
      this.#file ??= this.#open();
      this.#bytes += writeSync(this.#file, bytes);
    } catch {
      // The line is also on standard output.
    }
  }

  /** Paths of the files, the oldest first. */
  paths(): string[] {
    const rotated = this.#rotated().toSorted((a, b) => b.number - a.number);
    return [...rotated.map(({ name }) => name), CURRENT].map((name) => join(this.#o.directory, name));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    const path = join(this.#o.directory, CURRENT);
    this.#file = openSync(path, 'a', OWNER_ONLY);
    this.#bytes = statSync(path).size;
    return this.#file;
  }

  #rotate(): void {
    this.close();
    const { directory } = this.#o;
    const pathOf = (number: number): string => join(directory, `agent.${number}.log`);
    for (const { number } of this.#rotated().toSorted((a, b) => b.number - a.number))
      renameSync(pathOf(number), pathOf(number + 1));
    renameSync(join(directory, CURRENT), pathOf(1));
    this.#removeSurplus();
    this.#open();
  }

  #removeSurplus(): void {
    for (const { name, number } of this.#rotated())
      if (number >= this.#o.maxFiles) unlinkSync(join(this.#o.directory, name));
  }

  #rotated(): { readonly name: string; readonly number: number }[] {
    return readdirSync(this.#o.directory).flatMap((name) => {
      const number = ROTATED.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    });
  }
}

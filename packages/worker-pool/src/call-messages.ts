/** The most messages that a job may tell its caller, per tick of the pool, and their bytes together. */
export const MAX_UNTOLD = 32;
export const MAX_TOLD_BYTES = 64 * 1024;
/** The most questions of a job that wait for an answer, all of its questions, and the bytes of one. */
export const MAX_OPEN_QUESTIONS = 8;
export const MAX_QUESTIONS_OF_CALL = 100;
export const MAX_QUESTION_BYTES = 1024 * 1024;

/** Takes the messages of a running job. They come from a process that may be compromised: check their shape. */
export interface JobListener {
  /** A message that wants no answer. */
  tell(message: unknown): void;
  /** Returns the answer, which is JSON. If it rejects, the job learns that there is no answer. */
  question(question: unknown): Promise<unknown>;
}

/**
 * The messages and questions of one call, counted so that its worker can neither keep this process busy nor fill its memory. A worker
 * that exceeds a limit has left the protocol; its jobs keep to the same limits.
 */
export class CallMessages {
  #listener: JobListener | undefined;
  #untold = 0;
  #untoldBytes = 0;
  #questions = 0;
  readonly #open = new Set<number>();

  constructor(listener: JobListener | undefined) {
    this.#listener = listener;
  }

  /** Whether the worker may send a message of that size; counts it. */
  mayTell(bytes: number): boolean {
    this.#untold += 1;
    this.#untoldBytes += bytes;
    return this.#untold <= MAX_UNTOLD && this.#untoldBytes <= MAX_TOLD_BYTES;
  }

  /** Passes a message on, unless the call has ended. Throws if it is not JSON. */
  tell(body: Buffer): void {
    const message: unknown = JSON.parse(body.toString('utf8'));
    this.#listener?.tell(message);
  }

  /** The number of messages since the last call of this method: the worker may send as many again. */
  takeUntold(): number {
    const count = this.#untold;
    this.#untold = 0;
    this.#untoldBytes = 0;
    return count;
  }

  /** Whether the worker may ask one more question, with that number and size; counts it. */
  mayQuestion(number: number, bytes: number): boolean {
    this.#questions += 1;
    return (
      bytes <= MAX_QUESTION_BYTES &&
      this.#questions <= MAX_QUESTIONS_OF_CALL &&
      this.#open.size < MAX_OPEN_QUESTIONS &&
      !this.#open.has(number)
    );
  }

  /** Passes a question on; `send` gets the JSON text of the answer, or an empty one if there is none. Throws if the question is not JSON. */
  question(number: number, body: Buffer, send: (answer: string) => void): void {
    const question: unknown = JSON.parse(body.toString('utf8'));
    this.#open.add(number);
    void this.#answer(number, question, send);
  }

  /** The call has ended: nobody takes messages any more. */
  end(): void {
    this.#listener = undefined;
  }

  async #answer(number: number, question: unknown, send: (answer: string) => void): Promise<void> {
    let answer = '';
    try {
      answer = JSON.stringify(await this.#listener?.question(question)) ?? '';
    } catch {
      // The job learns only that there is none.
    }
    this.#open.delete(number);
    send(answer);
  }
}

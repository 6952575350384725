/** Maximum messages that a job may send to its caller per tick of the pool, and their total bytes. */
export const MAX_UNTOLD = 32;
export const MAX_TOLD_BYTES = 64 * 1024;
/** Maximum open questions of a job, total questions, and bytes of one. */
export const MAX_OPEN_QUESTIONS = 8;
export const MAX_QUESTIONS_OF_CALL = 100;
export const MAX_QUESTION_BYTES = 1024 * 1024;

/** Receives the messages of a running job. They come from a process that may be compromised, so check their form. */
export interface JobListener {
  /** Receives a message without an answer. */
  tell(message: unknown): void;
  /** Returns the JSON answer. If it rejects, the job learns only that there is no answer. */
  question(question: unknown): Promise<unknown>;
}

/**
 * The messages and questions of one call, limited so that its worker can neither keep this process busy nor fill its
 * memory. Jobs respect the same limits, so a worker that exceeds one violates the protocol.
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

  /** Counts a message; returns whether the worker may send one of this size. */
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

  /** Number of messages since the last call of this method; the worker may send as many again. */
  takeUntold(): number {
    const count = this.#untold;
    this.#untold = 0;
    this.#untoldBytes = 0;
    return count;
  }

  /** Counts a question; returns whether the worker may ask one with this number and size. */
  mayQuestion(number: number, bytes: number): boolean {
    this.#questions += 1;
    return (
      bytes <= MAX_QUESTION_BYTES &&
      this.#questions <= MAX_QUESTIONS_OF_CALL &&
      this.#open.size < MAX_OPEN_QUESTIONS &&
      !this.#open.has(number)
    );
  }

  /** Passes a question on; `send` gets the answer's JSON text, or '' if there is none. Throws if the question is not JSON. */
  question(number: number, body: Buffer, send: (answer: string) => void): void {
    const question: unknown = JSON.parse(body.toString('utf8'));
    this.#open.add(number);
    void this.#answer(number, question, send);
  }

  /** Called when the call has ended: further messages are dropped. */
  end(): void {
    this.#listener = undefined;
  }

  async #answer(number: number, question: unknown, send: (answer: string) => void): Promise<void> {
    let answer = '';
    try {
      answer = JSON.stringify(await this.#listener?.question(question)) ?? '';
    } catch {
      // The job learns only that there is no answer.
    }
    this.#open.delete(number);
    send(answer);
  }
}

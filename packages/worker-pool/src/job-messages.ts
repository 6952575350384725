import { MAX_OPEN_QUESTIONS, MAX_QUESTION_BYTES, MAX_QUESTIONS_OF_CALL } from './call-messages.ts';
import { MAX_TOLD_BYTES, MAX_UNTOLD } from './call-messages.ts';
import { encodeFrame, FRAME } from './frame.ts';

/** A job's question got no answer. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor() {
    super('Nobody answered the question.');
  }
}

/** A job's messages to its caller, within the limits that the pool enforces (CallMessages). */
export class JobMessages {
  readonly #id: number;
  readonly #send: (frame: Buffer) => void;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  /** The sizes of messages that the pool has not processed yet. */
  #untold: number[] = [];
  #questions = 0;
  #isEnded = false;

  constructor(id: number, send: (frame: Buffer) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** Sends a message; false if it was dropped. */
  tell(message: unknown): boolean {
    const text = JSON.stringify(message);
    const bytes = Buffer.byteLength(text);
    const untoldBytes = this.#untold.reduce((sum, size) => sum + size, bytes);
    if (this.#isEnded || this.#untold.length === MAX_UNTOLD || untoldBytes > MAX_TOLD_BYTES) return false;
    this.#untold.push(bytes);
    this.#send(encodeFrame(FRAME.tell, this.#id, text));
    return true;
  }

  /** Called when the pool has processed this many messages. */
  acknowledge(count: number): void {
    this.#untold.splice(0, count);
  }

  /** Resolves with the answer; rejects with NoAnswerError. */
  async question(question: unknown): Promise<unknown> {
    const text = JSON.stringify(question);
    const isOver = this.#open.size === MAX_OPEN_QUESTIONS || this.#questions === MAX_QUESTIONS_OF_CALL;
    if (this.#isEnded || isOver || Buffer.byteLength(text) > MAX_QUESTION_BYTES) throw new NoAnswerError();
    const number = (this.#questions += 1);
    const answer = Promise.withResolvers<unknown>();
    this.#open.set(number, answer);
    this.#send(encodeFrame(FRAME.question, this.#id, text, number));
    return answer.promise;
  }

  /** Settles a question; an empty text means no answer. */
  answer(number: number, text: string): void {
    const question = this.#open.get(number);
    this.#open.delete(number);
    if (text === '') question?.reject(new NoAnswerError());
    else question?.resolve(JSON.parse(text));
  }

  /** Called when the job's caller has gone: open and further questions get no answer. */
  end(): void {
    this.#isEnded = true;
    for (const number of this.#open.keys()) this.answer(number, '');
  }
}

import type { ClientQuestion } from '../ports/client-channel.ts';

/** Ends a request with a result that requests input; the client repeats the request with the answers. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly question: ClientQuestion;

  constructor(question: ClientQuestion) {
    super(`The client has to answer ${question.name}.`);
    this.question = question;
  }
}

/** One problem of a request; `field` is the member or parameter as sent. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A refusal for a reason that the caller can act on: answered as `{"error":{"code","message"}}` with `status`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The invalid fields, if any; the message repeats them for clients that read only the message. */
  readonly details: readonly FieldProblem[] | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    extra: { headers?: Readonly<Record<string, string>>; details?: readonly FieldProblem[] } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = extra.headers ?? {};
    this.details = extra.details;
  }
}

/** A 400 that names every invalid field. */
export function invalid(details: readonly FieldProblem[]): Failure {
  const message = details.map((problem) =>
    problem.field === '' ? problem.message : `${problem.field}: ${problem.message}`,
  );
  return new Failure(400, 'validation_failed', message.join('; '), { details });
}

/** 404 for a record that this workspace does not have. */
export function notFound(noun: string, id: string): Failure {
  return new Failure(404, 'not_found', `No ${noun} with the id '${id}' in this workspace.`);
}

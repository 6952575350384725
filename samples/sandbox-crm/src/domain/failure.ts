/** One thing wrong with a request, `field` being the member or parameter as sent. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A refusal the caller can understand: answered as `{"error":{"code","message"}}` with `status`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Present when fields are to blame; the message repeats them for clients that read only that. */
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

/** 400 naming every wrong field. */
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

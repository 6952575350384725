/**
 * JSON with bytes beside it, which travel as they are: nobody on their way decodes, escapes or builds their content. They are no LazyJson
 * in the job, because whoever receives a job parses all of its JSON.
 */
export class JsonWithBytes {
  readonly json: unknown;
  readonly bytes: Uint8Array;

  constructor(json: unknown, bytes: Uint8Array) {
    this.json = json;
    this.bytes = bytes;
  }
}

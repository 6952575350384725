/** JSON with bytes beside it, which travel as they are: nobody on their way decodes, escapes or builds what they hold. */
export class JsonWithBytes {
  readonly json: unknown;
  readonly bytes: Uint8Array;

  constructor(json: unknown, bytes: Uint8Array) {
    this.json = json;
    this.bytes = bytes;
  }
}

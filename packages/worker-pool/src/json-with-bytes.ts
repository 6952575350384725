/**
 * JSON together with bytes that are sent unchanged: no process on the way decodes, escapes or parses them. In the job
 * they are not a LazyJson, because the receiver of a job parses all of its JSON.
 */
export class JsonWithBytes {
  readonly json: unknown;
  readonly bytes: Uint8Array;

  constructor(json: unknown, bytes: Uint8Array) {
    this.json = json;
    this.bytes = bytes;
  }
}

/** A value as its JSON text, which is passed on as it is: to build it would cost each process on its way as much as the last one. */
export class JsonText {
  readonly text: string;

  /** `text` must be JSON: nothing checks it before its receiver. */
  constructor(text: string) {
    this.text = text;
  }
}

/** The same in UTF-8, as it came from another process. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  /** `bytes` must be JSON, as the text of JsonText. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get text(): string {
    const { buffer, byteOffset, byteLength } = this.bytes;
    return Buffer.from(buffer, byteOffset, byteLength).toString();
  }
}

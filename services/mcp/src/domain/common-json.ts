import { createHash } from 'node:crypto';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** JSON that is part of many answers. */
export class CommonJson extends LazyJson {
  #digest: Buffer | undefined;

  /** SHA-256 of its bytes. */
  get digest(): Buffer {
    return (this.#digest ??= createHash('sha256').update(this.bytes).digest());
  }
}

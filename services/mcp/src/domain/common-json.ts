import { createHash } from 'node:crypto';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** JSON that many answers have in common. */
export class CommonJson extends LazyJson {
  #digest: Buffer | undefined;

  /** SHA-256 of its bytes. */
  get digest(): Buffer {
    return (this.#digest ??= createHash('sha256').update(this.bytes).digest());
  }
}

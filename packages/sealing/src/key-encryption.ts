import { ApiError } from '@fairlead/errors/api-error';
import type { Secret } from '@fairlead/service-kit/secret';

/** A data key as wrapped by a key-encryption key. */
export interface WrappedKey {
  /** Name of the key-encryption key. */
  readonly wrappedWith: string;
  /** Text that only the same implementation can read. */
  readonly wrapped: string;
}

/** The key-encryption keys of a service: those of its configuration, or those of a key management service. */
export interface KeyEncryption {
  /** Name of the key that wraps now. It may change while the process runs. */
  current(): string;
  /**
   * Wraps `key` with the current key; throws UNAVAILABLE while a service that has the key does not answer. `binding` names the purpose of
   * the wrapped key; unwrapping needs the same binding.
   */
  wrap(binding: readonly string[], key: Secret<Uint8Array>): Promise<WrappedKey>;
  /**
   * Throws an Error if the wrapping key is missing, or the wrapped key was changed or moved to another binding; UNAVAILABLE while a service
   * that has the key does not answer.
   */
  unwrap(binding: readonly string[], wrapped: WrappedKey): Promise<Secret<Uint8Array>>;
}

/** Throws an error that says that keys are unavailable for now; a caller that processes many keys stops there and tries again later. */
export function throwIfUnavailable(errors: readonly unknown[]): void {
  const away = errors.find((error) => error instanceof ApiError && error.code === 'UNAVAILABLE');
  if (away !== undefined) throw away;
}

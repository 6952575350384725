import { CallChanged } from '../../domain/call-changed.ts';

/** Maximum number of repeated checks of a call. */
const ATTEMPTS = 3;

/** Runs `call`, including its checks, and repeats it after CallChanged, a few times at most. */
export async function repeatIfChanged<R>(call: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallChanged) || attempt === ATTEMPTS) throw error;
    }
  }
}

import { CallChanged } from '../../domain/call-changed.ts';

/** How often a call is checked anew. */
const ATTEMPTS = 3;

/** Runs `call`, which begins with its checks, and runs it anew after CallChanged, a few times at most. */
export async function repeatIfChanged<R>(call: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallChanged) || attempt === ATTEMPTS) throw error;
    }
  }
}

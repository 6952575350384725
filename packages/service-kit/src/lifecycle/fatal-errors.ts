import { createLogger } from '../telemetry/logger.ts';

/** The origin of an uncaught error. */
type Origin = 'uncaughtException' | 'unhandledRejection';

/** Maximum logged errors; a process that keeps failing while it stops must not fill the log. */
const MAX_LOGGED = 10;

/**
 * From now on, uncaught errors are logged with their origin before anything else happens, and passed to `onError`,
 * which ends the process in order, because its state is unknown. Otherwise an exception would end the process at
 * once, with all calls in flight.
 */
export function catchFatalErrors(service: string, onError: () => void): void {
  const log = createLogger({ service, level: 'fatal' });
  let logged = 0;
  const report = (error: unknown, origin: Origin): void => {
    try {
      logged += 1;
      if (logged <= MAX_LOGGED) log.fatal({ err: error, origin }, 'an uncaught error ends the process');
    } finally {
      onError();
    }
  };
  process.on('uncaughtException', (error) => report(error, 'uncaughtException'));
  // Explicit, because otherwise the option --unhandled-rejections decides.
  process.on('unhandledRejection', (reason) => report(reason, 'unhandledRejection'));
}

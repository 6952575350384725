import { createLogger } from '../telemetry/logger.ts';

/** Where an error came from that nothing caught. */
type Origin = 'uncaughtException' | 'unhandledRejection';

/** A process that fails again and again while it stops does not fill the log. */
const MAX_LOGGED = 10;

/**
 * From now on an error that nothing catches is logged with its origin, before anything else happens, and passed to
 * `onError`, which ends the process in order: its state is unknown, so that it must not go on. Without this, an exception
 * would end the process at once, with every call in flight.
 */
export function catchFatalErrors(service: string, onError: () => void): void {
  const log = createLogger({ service, level: 'fatal' });
  let logged = 0;
  const report = (error: unknown, origin: Origin): void => {
    try {
      logged += 1;
      if (logged <= MAX_LOGGED)
        log.fatal({ err: error, origin }, 'an error that nothing caught ends the process');
    } finally {
      onError();
    }
  };
  process.on('uncaughtException', (error) => report(error, 'uncaughtException'));
  // Explicitly, because the option --unhandled-rejections decides what happens otherwise.
  process.on('unhandledRejection', (reason) => report(reason, 'unhandledRejection'));
}

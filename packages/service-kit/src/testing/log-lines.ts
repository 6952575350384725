import { z } from 'zod';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';

const line = z.looseObject({ level: z.string(), msg: z.string().optional() });

/** A logger that keeps its lines: `text()` as written, `lines()` parsed. */
export function captureLog(level = 'debug'): {
  readonly log: Logger;
  readonly text: () => string;
  readonly lines: () => z.infer<typeof line>[];
} {
  let written = '';
  const log = createLogger({
    service: 'test',
    level,
    destination: { write: (chunk) => void (written += chunk) },
  });
  return {
    log,
    text: () => written,
    lines: () =>
      written
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => line.parse(JSON.parse(text))),
  };
}

import type { AgentSettings } from '@fairlead/agent-channel/messages';
import { createTextMasker } from '@fairlead/connector-runtime/secret-masking';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

type LogLevel = AgentSettings['logLevel'];

/** The levels of lines that each setting logs. */
const LEVELS: Readonly<Record<LogLevel, readonly string[]>> = {
  Trace: ['debug', 'info', 'warn', 'error', 'fatal'],
  Debug: ['debug', 'info', 'warn', 'error', 'fatal'],
  Information: ['info', 'warn', 'error', 'fatal'],
  Warning: ['warn', 'error', 'fatal'],
  Error: ['error', 'fatal'],
};

export interface AgentLog {
  readonly log: Logger;
  /** Changes the level for all following lines of the whole program. */
  setLevel(level: LogLevel): void;
}

/** Creates the log. `write` gets each line with all `secrets` masked in every encoding. */
export function createAgentLog(o: {
  readonly secrets: readonly string[];
  readonly write: (line: string) => void;
}): AgentLog {
  const mask = createTextMasker(o.secrets);
  let levels = LEVELS.Information;
  const log = createLogger({
    service: 'agent',
    level: 'debug',
    destination: {
      write(line) {
        const level = /^\{"level":"(\w+)"/.exec(line)?.[1];
        if (level === undefined || levels.includes(level)) o.write(mask(line));
      },
    },
  });
  return {
    log,
    setLevel(level) {
      levels = LEVELS[level];
    },
  };
}

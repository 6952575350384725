import type { AgentSettings } from '@fairlead/agent-channel/messages';
import { validationError } from '@fairlead/errors/api-error';
import type { AgentSettingRange, ConnectorHead } from '@fairlead/connector-model/model';

/** Settings to change: null restores the default; an absent one stays. */
export type SettingsChange = { readonly [P in keyof AgentSettings]?: AgentSettings[P] | null };

const DEFAULT_LEVEL: AgentSettings['logLevel'] = 'Information';
/** Ranges for an application that declares none. */
const RANGES = {
  parallelTasks: { minimum: 1, maximum: 100, default: 10 },
  pullPeriodSeconds: { minimum: 10, maximum: null, default: 10 },
} as const satisfies NonNullable<ConnectorHead['agentSettings']>;
const NUMBERS = ['parallelTasks', 'pullPeriodSeconds'] as const;

/** The settings of a new agent of an application. */
export function defaultSettings({ agentSettings }: Pick<ConnectorHead, 'agentSettings'>): AgentSettings {
  const { parallelTasks, pullPeriodSeconds } = agentSettings ?? RANGES;
  return {
    parallelTasks: parallelTasks.default,
    pullPeriodSeconds: pullPeriodSeconds.default,
    logLevel: DEFAULT_LEVEL,
  };
}

/** The settings after a change; VALIDATION_ERROR for a number outside the range that the application declares. */
export function changedSettings(
  application: Pick<ConnectorHead, 'agentSettings'>,
  settings: AgentSettings,
  change: SettingsChange,
): AgentSettings {
  const ranges = application.agentSettings ?? RANGES;
  const issues = NUMBERS.flatMap((name) => {
    const value = change[name] ?? undefined;
    if (value === undefined || isWithin(ranges[name], value)) return [];
    return [{ field: `settings.${name}`, issue: describeRange(ranges[name]) }];
  });
  if (issues.length > 0) throw validationError(...issues);
  const defaults = defaultSettings(application);
  const pick = <P extends keyof AgentSettings>(name: P): AgentSettings[P] => {
    const value = change[name];
    return value === undefined ? settings[name] : (value ?? defaults[name]);
  };
  return {
    parallelTasks: pick('parallelTasks'),
    pullPeriodSeconds: pick('pullPeriodSeconds'),
    logLevel: pick('logLevel'),
  };
}

function isWithin({ minimum, maximum }: AgentSettingRange, value: number): boolean {
  return value >= minimum && (maximum === null || value <= maximum);
}

function describeRange({ minimum, maximum }: AgentSettingRange): string {
  return maximum === null ? `must be at least ${minimum}` : `must be from ${minimum} to ${maximum}`;
}

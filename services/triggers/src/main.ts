import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { triggersConfig } from './config.ts';

await runUntilSignal('triggers', () => buildApp(loadConfig(triggersConfig, process.env)));

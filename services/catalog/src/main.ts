import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { configSchema } from './config.ts';

await runUntilSignal('catalog', () => buildApp(loadConfig(configSchema, process.env)));

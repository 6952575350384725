import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { identityConfig } from './config.ts';

await runUntilSignal('identity', () => buildApp(loadConfig(identityConfig, process.env)));

import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { connectionsConfig } from './config.ts';

await runUntilSignal('connections', () => buildApp(loadConfig(connectionsConfig, process.env)));

import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';

await runUntilSignal('gateway', () => buildApp(loadConfig(gatewayConfig, process.env)));

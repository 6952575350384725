import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { interoperabilitySuite } from '@fairlead/service-kit/testing/interoperability-suite';
import { afterAll, beforeAll, inject } from 'vitest';
import { startWorld } from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'));
});
afterAll(() => world.close());

interoperabilitySuite({
  name: 'connections',
  server: () => world,
  services: [ConnectionService, CredentialService, SignInService],
  answered: { method: ConnectionService.method.listConnections, request: {} },
  refused: { method: ConnectionService.method.getConnection, request: { id: 1 }, code: 'NOT_FOUND' },
});

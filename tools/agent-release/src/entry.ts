import { runProgram } from '@fairlead/agent/program';
import { WORKER_ARGUMENT } from '@fairlead/worker-pool/spawn-worker';

/** Entry of the bundled program, and of its workers. */
if (process.argv[2] === WORKER_ARGUMENT) void import('@fairlead/connectors/worker');
else void runProgram(process.env);

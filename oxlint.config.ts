import { defineConfig } from 'oxlint';
import { boundaries } from './oxlint.boundaries.ts';

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise', 'vitest'],
  options: {
    typeAware: true,
    denyWarnings: true,
  },
  categories: {
    correctness: 'error',
    suspicious: 'error',
  },
  // Programs that use packages which are not installed here, and the program of a package as a registry has it.
  ignorePatterns: [
    'packages/contracts/gen/**',
    'packages/sdk/src/gen/**',
    'tests/contract/mcp-clients/**',
    'tests/contract/packages/**',
    'tests/vendor-sdks/cases/**',
  ],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-cycle': 'error',
    'oxc/no-barrel-file': 'error',
    // The boundaries name modules of Node.js by this form only.
    'unicorn/prefer-node-protocol': 'error',
    'unicorn/filename-case': [
      'error',
      {
        case: 'kebabCase',
      },
    ],
    'node/no-process-env': 'error',
    'no-console': 'error',
    'max-lines': [
      'error',
      {
        max: 400,
        skipBlankLines: false,
        skipComments: false,
      },
    ],
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'no-await-in-loop': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'import/no-unassigned-import': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'vitest/valid-expect': [
      'error',
      {
        maxArgs: 2,
      },
    ],
    'vitest/no-standalone-expect': [
      'error',
      {
        additionalTestBlockFunctions: ['row'],
      },
    ],
    'vitest/expect-expect': [
      'error',
      {
        assertFunctionNames: ['expect*'],
      },
    ],
    'unicorn/consistent-function-scoping': 'off',
    'typescript/consistent-return': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
    'import/consistent-type-specifier-style': ['error', 'prefer-top-level'],
  },
  overrides: [
    ...boundaries,
    {
      files: ['services/*/src/**/domain/**/*.test.ts'],
      rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
    },
    {
      files: ['packages/*/examples/**/*.ts'],
      rules: {
        'no-console': 'off',
      },
    },
    {
      // Examples, too.
      files: ['samples/webhook-receivers/src/*.ts'],
      rules: {
        'no-console': 'off',
        'node/no-process-env': 'off',
      },
    },
    {
      files: ['tests/**/*.ts', '**/*.test.ts', '**/testing/**/*.ts'],
      rules: {
        'node/no-process-env': 'off',
        'no-console': 'off',
      },
    },
    {
      files: [
        'services/*/src/main.ts',
        'services/*/src/migrate.ts',
        'services/*/src/data-keys.ts',
        'services/*/src/seed.ts',
        'samples/*/src/main.ts',
        'tools/*/src/main.ts',
        'packages/*/src/cli.ts',
        'deploy/docker/{,stores/}*.ts',
        'deploy/helm/fairlead/files/*.ts',
      ],
      rules: {
        'node/no-process-env': 'off',
      },
    },
    {
      files: ['tools/**/*.ts', 'packages/*/src/cli.ts'],
      rules: {
        'no-console': 'off',
        'node/no-process-env': 'off',
      },
    },
    {
      files: ['packages/local-stores/src/**/*.ts'],
      rules: {
        'node/no-process-env': 'off',
      },
    },
    {
      files: [
        'tests/contract/**/*.ts',
        'tests/e2e/**/*.ts',
        'tests/hostile/**/*.ts',
        'tests/observability/**/*.ts',
      ],
      rules: {
        'typescript/no-explicit-any': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
      },
    },
    {
      files: ['tests/contract/support/row.ts'],
      rules: {
        'vitest/expect-expect': 'off',
      },
    },
    {
      files: ['vitest.config.ts'],
      rules: {
        'node/no-process-env': 'off',
      },
    },
  ],
});

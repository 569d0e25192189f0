// Examples of svcd and each of its commands, which their help and the reference page show. Tests parse each one.

/** Command lines by the command's name; variables come first, as in a shell. */
export const SVCD_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  svcd: [
    'svcd --data-dir ./.svc-data',
    'svcd --addr 0.0.0.0:8080 --auth-mode native --public-url https://svc.example',
    'SVC_DATABASE_URL=postgres://svc@db.example/svc svcd --embedded-worker false',
  ],
  'svcd worker': [
    'SVC_DATABASE_URL=postgres://svc@db.example/svc svcd worker',
    'SVC_DATABASE_URL=postgres://svc@db.example/svc svcd worker --region eu --max-concurrent-tasks 20',
  ],
  'svcd migrate': ['svcd migrate --data-dir ./.svc-data', 'SVC_DATABASE_URL=postgres://svc@db.example/svc svcd migrate'],
  'svcd rotate-secrets': ['SVC_SECRET_ENCRYPTION_KEY=<new key>,<old key> svcd rotate-secrets --data-dir ./.svc-data'],
  'svcd seal-key': ['svcd seal-key --data-dir ./.svc-data > sealing-key.json'],
  'svcd reset-admin': [
    'svcd reset-admin --username ada --data-dir ./.svc-data',
    'SVC_DATABASE_URL=postgres://svc@db.example/svc svcd reset-admin --username ada',
  ],
  'svcd doctor': ['svcd doctor --addr 0.0.0.0:8080 --strict', 'svcd doctor --output json'],
};

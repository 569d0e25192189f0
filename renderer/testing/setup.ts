// Setup of each test file of the console: missing parts of the simulated DOM, and a clean page after every test.
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// Before each test file of the console: what the simulated DOM lacks, and a clean page after every test.
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

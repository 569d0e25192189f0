// The head of a page: breadcrumb, title, actions. The actions are at the same height on every page, whatever is beside them.
import { Fragment, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { Link } from '../link/Link.tsx';

interface Crumb {
  readonly label: string;
  readonly href?: string;
}

export interface PageHeaderProps {
  readonly crumbs?: readonly Crumb[];
  readonly title: ReactNode;
  /** Beside the title: the phase pill. */
  readonly status?: ReactNode;
  /** Under the title: age, version, labels. */
  readonly meta?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
}

export function PageHeader({ crumbs = [], title, status, meta, actions, className }: PageHeaderProps) {
  return (
    <header
      className={cn('flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-6 lg:flex-nowrap pt-3 pb-3 max-sm:px-4', className)}
    >
      <div className="min-w-0">
        {crumbs.length > 0 && (
          <nav aria-label="Breadcrumb" className="mb-1 flex flex-wrap items-center gap-1.5 text-sm text-muted">
            {crumbs.map((crumb, index) => (
              <Fragment key={index}>
                {index > 0 && <span aria-hidden>/</span>}
                {crumb.href === undefined ? (
                  <span>{crumb.label}</span>
                ) : (
                  <Link href={crumb.href} look="quiet" className="text-muted">
                    {crumb.label}
                  </Link>
                )}
              </Fragment>
            ))}
          </nav>
        )}
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="text-xl font-semibold tracking-tight text-balance [overflow-wrap:anywhere] text-text">{title}</h1>
          {status}
        </div>
        {meta != null && (
          <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted [overflow-wrap:anywhere]">{meta}</div>
        )}
      </div>
      {actions != null && <div className="flex shrink-0 flex-wrap items-center gap-2 max-lg:shrink print:hidden">{actions}</div>}
    </header>
  );
}

// The arrow heads of the canvas, one per look of a line.
const LOOKS = ['next', 'fan-out', 'conditional', 'loop-back', 'danger', 'active', 'taken', 'quiet', 'selected'] as const;

export function GraphMarkers() {
  return (
    <svg aria-hidden className="absolute size-0">
      <defs>
        {LOOKS.map((look) => (
          <marker
            key={look}
            id={`system-arrow-${look}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="9"
            markerHeight="9"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0,0.5 L10,5 L0,9.5 z" className={`system-arrow-${look}`} />
          </marker>
        ))}
      </defs>
    </svg>
  );
}

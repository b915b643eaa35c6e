//! What journeys are for: a file for each aim.
//!
//! An aim is plain data, since it is sent to copies of the process. As an [`Itinerary`] it says where its journey
//! begins and ends; its [`Visit`](visit::Visit) is what an instance does on the way. What it finds has a type of its own
//! ([`Finds`](visit::Finds)). A new aim is a file here, and a row of the table below.

pub mod arrive;
pub mod changes;
pub mod hits;
pub mod output;
pub mod positions;
pub mod resolve;
pub mod statements;
pub mod unfold;
pub mod visit;
pub mod whole_past;

use serde::{Deserialize, Serialize};

use arrive::Arrive;
use changes::FindChanges;
use hits::RecordHits;
use output::FindPrinted;
use positions::RecordPositions;
use resolve::Resolve;
use statements::FindStatements;
use unfold::UnfoldStatement;
use visit::Itinerary;
use whole_past::SearchWholePast;

macro_rules! aims {
    ($($aim:ident,)*) => {
        /// What a journey is for.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub(crate) enum Aim {
            $($aim(Box<$aim>),)*
        }

        impl Aim {
            /// What it says about the journey.
            pub fn itinerary(&self) -> &dyn Itinerary {
                match self {
                    $(Aim::$aim(aim) => &**aim,)*
                }
            }
        }

        $(impl From<$aim> for Aim {
            fn from(aim: $aim) -> Aim {
                Aim::$aim(Box::new(aim))
            }
        })*
    };
}

aims! {
    Arrive,
    RecordPositions,
    RecordHits,
    Resolve,
    FindChanges,
    SearchWholePast,
    UnfoldStatement,
    FindStatements,
    FindPrinted,
}
